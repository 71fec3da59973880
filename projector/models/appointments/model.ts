/** Appointments: one entry for each person of whom a public signal tells that they came, went or rose. */

import { istDay } from '../../ist-day.ts';
import type { Model } from '../../model.ts';
import type { Told } from '../told.ts';
import { toldModel } from '../told-model.ts';
import { type AppointmentPart, appointmentParts, combineAppointments } from './evolve.ts';

/** The model of appointments. */
export const appointmentsModel = (): Model<Told<AppointmentPart>> =>
  toldModel({
    name: 'appointments',
    file: import.meta.url,
    columns: [
      'person',
      'role',
      'seats',
      'lenses',
      'company',
      'company_slug',
      'direction',
      'comes_from',
      'goes_to',
      'effective',
      'since',
    ],
    partsOf: appointmentParts,
    combine: combineAppointments,
    record: ({ from, to, ...part }, publishedAt) => ({
      ...part,
      comes_from: from,
      goes_to: to,
      since: part.effective ?? istDay(Date.parse(publishedAt)),
    }),
  });
