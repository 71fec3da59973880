/** A real mail server on loopback that keeps accepted mails, and can be set to respond slowly or to refuse. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface MailBox {
  readonly url: string;
  /** The accepted mails in order, including those without a response: recipient and full text. */
  readonly mails: readonly { readonly to: string; readonly text: string }[];
  /** The response to the recipient or after the last line; null accepts. */
  refuseRecipient: number | null;
  refuseMail: number | null;
  /** Called for each recipient and after the last line of each mail, and awaited before the response. */
  atRecipient: (to: string) => Promise<void>;
  atLastLine: (to: string) => Promise<void>;
  close(): Promise<void>;
}

const refusal = (responseCode: number): Error => Object.assign(new Error('not this one'), { responseCode });

export async function mailBox(): Promise<MailBox> {
  const mails: { to: string; text: string }[] = [];
  const box: { -readonly [Key in keyof MailBox]: MailBox[Key] } = {
    url: '',
    mails,
    refuseRecipient: null,
    refuseMail: null,
    atRecipient: async () => undefined,
    atLastLine: async () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 50,
    onAuth: ({ username, password }, _session, done) =>
      username === 'asha' && password === 'secret word' ? done(null, { user: username }) : done(refusal(535)),
    onRcptTo: ({ address }, _session, done) => {
      box.atRecipient(address).then(() => done(box.refuseRecipient ? refusal(box.refuseRecipient) : null));
    },
    onData(stream, session, done) {
      const to = session.envelope.rcptTo[0]?.address ?? '';
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (!box.refuseMail) mails.push({ to, text: Buffer.concat(chunks).toString() });
        box.atLastLine(to).then(() => done(box.refuseMail ? refusal(box.refuseMail) : null));
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  box.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return box;
}
