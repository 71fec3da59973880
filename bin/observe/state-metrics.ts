/** The metrics of the state of the service, measured at each scrape. */
import { Gauge, Registry } from 'prom-client';
import { isMeasured } from '../../schemas/oracle.ts';
import type { ServiceState } from './service-state.ts';

type AddGauge = <Label extends string>(metric: string, help: string, labelNames?: readonly Label[]) => Gauge<Label>;

/** @returns them as text. The registry is new each time, so that removed models disappear */
export async function stateText(state: ServiceState): Promise<string> {
  const registry = new Registry();
  const gauge: AddGauge = (metric, help, labelNames = []) =>
    new Gauge({ name: `clarity_${metric}`, help, labelNames: [...labelNames], registers: [registry] });
  consumers(gauge, state);
  readModels(gauge, state);
  rebuilds(gauge, state);
  skipped(gauge, state);
  roster(gauge, state);
  mails(gauge, state);
  oracleAndSpend(gauge, state);
  return registry.metrics();
}

function consumers(gauge: AddGauge, { groups }: ServiceState): void {
  if (groups.length === 0) return;
  const lag = gauge('consumer_lag', 'Messages of a partition that a group has not handled', [
    'topic',
    'group',
    'partition',
  ]);
  const seconds = gauge('consumer_lag_seconds', 'Seconds that the oldest unhandled message has waited, at least', [
    'topic',
    'group',
  ]);
  for (const { topic, group, partitions, seconds: waited } of groups) {
    for (const { partition, lag: behind } of partitions)
      lag.set({ topic, group, partition: String(partition) }, behind);
    seconds.set({ topic, group }, waited);
  }
}

function readModels(gauge: AddGauge, { models }: ServiceState): void {
  if (models.length > 0) {
    const lag = gauge('model_lag', 'How far the live rows are behind the event store, in positions', ['model']);
    const other = gauge('model_other_version', '1 while another version than this program’s is live', ['model']);
    const stopped = gauge(
      'model_stopped_seconds',
      'Seconds since the model moved last, where the event store has had more for a minute; else 0',
      ['model'],
    );
    for (const { model, lag: behind, version, live, stopped_seconds } of models) {
      stopped.set({ model }, stopped_seconds ?? 0);
      if (behind !== null) lag.set({ model }, behind);
      other.set({ model }, live === version ? 0 : 1);
    }
  }
}

function rebuilds(gauge: AddGauge, { rebuilds: latest }: ServiceState): void {
  const running = latest.filter(({ state }) => state === 'running');
  const share = gauge('model_rebuild_share', 'How much of the history a running rebuild has folded, from 0 to 1', [
    'model',
    'process',
  ]);
  const rate = gauge('model_rebuild_events_per_second', 'Events a second that a running rebuild folds', ['model']);
  const left = gauge('model_rebuild_seconds_left', 'Seconds that a running rebuild still needs, as estimated', [
    'model',
  ]);
  for (const { model, process: by, share: folded, per_second, seconds_left } of running) {
    share.set({ model, process: by }, folded);
    rate.set({ model }, per_second);
    if (seconds_left !== null) left.set({ model }, seconds_left);
  }
  const interrupted = gauge('model_rebuild_interrupted', '1 after the process of a rebuild ended before it was done', [
    'model',
    'process',
  ]);
  for (const { model, process: by, state } of latest)
    if (state === 'interrupted') interrupted.set({ model, process: by }, 1);
}

function skipped(gauge: AddGauge, { parked, dead_letters }: ServiceState): void {
  if (parked) {
    const events = gauge('parked_events', 'Events that a read model could not take', ['model']);
    for (const { model, events: many } of parked) events.set({ model }, many);
  }
  if (dead_letters) {
    const messages = gauge('dead_letters', 'Messages that a consumer could not handle and that need an operator', [
      'topic',
      'group',
      'kind',
    ]);
    for (const { topic, group_name, kind, messages: many } of dead_letters)
      messages.set({ topic, group: group_name, kind }, many);
  }
}

function roster(gauge: AddGauge, { sources, roster: polled }: ServiceState): void {
  if (sources) {
    const health = gauge('sources', 'Sources of the roster by health', ['health']);
    for (const state of ['healthy', 'degraded', 'failing', 'silent', 'paused'] as const)
      health.set({ health: state }, sources[state]);
    gauge('items_per_hour', 'Items an hour over the last day').set(sources.items_per_hour);
    gauge('signals_24h', 'Public signals of the last day').set(sources.signals_24h);
  }
  if (polled.length > 0) {
    const read = gauge('source_last_success_timestamp_seconds', 'When a source was last read', ['source']);
    const lastItem = gauge('source_last_item_timestamp_seconds', 'When a source last had a new item', ['source']);
    for (const { id: source, health, last_success_at, last_item_at } of polled) {
      if (health === 'paused') continue;
      if (last_success_at) read.set({ source }, Date.parse(last_success_at) / 1000);
      if (last_item_at) lastItem.set({ source }, Date.parse(last_item_at) / 1000);
    }
  }
}

function mails(gauge: AddGauge, { mails: sent }: ServiceState): void {
  for (const [of, what] of [
    ['brief', 'the morning brief'],
    ['search', 'saved searches'],
  ] as const) {
    const ofThese = sent.filter((one) => one.of === of);
    if (ofThese.length === 0) continue;
    const states = gauge(`${of}_mails`, `Mails of ${what} by state, today in India`, ['state']);
    for (const { state, mails: many } of ofThese) states.set({ state }, many);
  }
}

function oracleAndSpend(gauge: AddGauge, { oracle, model }: ServiceState): void {
  if (oracle) {
    const missed = gauge('oracle_miss_rate', 'Share of what reference sources report that the feed lacks');
    // Few items would raise an alert by chance.
    missed.set(isMeasured(oracle) ? oracle.miss_rate : Number.NaN);
    gauge('oracle_measured_timestamp_seconds', 'When that was measured').set(Date.parse(oracle.measured_at) / 1000);
  }
  if (model) {
    gauge('model_spend_usd', 'US dollars that calls to the model may have cost today, by UTC').set(model.spent_usd);
    gauge('model_budget_usd', 'US dollars that they may cost a day').set(model.budget_usd);
  }
}
