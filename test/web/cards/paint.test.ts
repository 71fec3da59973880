import { afterEach, describe, expect, it, vi } from 'vitest';
import { drawCard } from '../../../web/cards/draw.ts';
import { NotPainted, painter, pictureCache } from '../../../web/cards/paint.ts';

const drawing = drawCard({ kicker: ['Stores'], heading: 'Kiri Foods opens 40 stores', foot: [] }, false);
const opened: ReturnType<typeof painter>[] = [];
const open = (settings?: Parameters<typeof painter>[0]) => {
  const one = painter(settings);
  opened.push(one);
  return one;
};
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

describe('a painter', () => {
  it('given a drawing, then a PNG of 1200 by 630; an invalid drawing fails alone', async () => {
    const { paint } = open();
    const [png, failed] = await Promise.allSettled([paint(drawing), paint('<svg')]);
    if (png.status === 'rejected') throw png.reason;
    const picture = Buffer.from(png.value);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1_200, 630]);
    expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(NotPainted) });
  });

  it('given a picture that exceeds the timeout, then it fails, and the next one is painted', async () => {
    const { paint } = open({ longestMs: 0 });
    await expect(paint(drawing)).rejects.toMatchObject({ cause: { reason: 'deadline' } });
    await expect(open().paint(drawing)).resolves.toBeInstanceOf(Uint8Array);
  });

  it('given more drawings than the maximum, then the last is refused at once, and closing rejects the others', async () => {
    const { paint, close } = open();
    const waiting = Array.from({ length: 32 }, () => paint(drawing));
    const all = Promise.allSettled(waiting);
    await expect(paint(drawing)).rejects.toThrow('too many');
    await close();
    expect((await all).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });
});

describe('a gallery', () => {
  it('given the same picture twice, also concurrently, then it is painted once; the least recently used one is evicted first', async () => {
    const paint = vi.fn(async (svg: string) => Buffer.from(svg));
    const picture = pictureCache({ paint }, 2);
    await Promise.all([picture('a', '<a>'), picture('a', '<a>'), picture('b', '<b>')]);
    await picture('a', '<a>');
    await picture('c', '<c>');
    expect(paint.mock.calls.flat()).toEqual(['<a>', '<b>', '<c>']);
    await picture('a', '<a>');
    await picture('b', '<b>');
    expect(paint).toHaveBeenCalledTimes(4);
  });

  it('given a failed picture, then the next request paints it again', async () => {
    const paint = vi.fn(async () => Buffer.from('made'));
    paint.mockRejectedValueOnce(new NotPainted('too many pictures wait'));
    const picture = pictureCache({ paint });
    await expect(picture('a', '')).rejects.toThrow('too many');
    await expect(picture('a', '')).resolves.toEqual(Buffer.from('made'));
  });
});
