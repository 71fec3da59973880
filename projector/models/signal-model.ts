/** Read models with a row for each signal. */
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { SIGNAL_TYPES, touchedSignals } from '../../signal/signal-status.ts';
import { defineModel, type Model } from '../read-model.ts';

/** Makes a read model that follows all events of signals, see `defineModel`. */
export const defineSignalModel = <Row>(
  file: string,
  definition: Omit<Parameters<typeof defineModel<Row>>[1], 'types' | 'prefixes' | 'keys'>,
): Model<Row> =>
  defineModel(file, { types: SIGNAL_TYPES, prefixes: [SIGNAL_PREFIX], keys: touchedSignals, ...definition });
