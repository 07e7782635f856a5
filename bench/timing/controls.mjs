import { letters } from './likeness.mjs';

/** Microseconds by which one class of the planted pair is slower. */
export const PLANTED = 20;

const route = (name) => () => ({ path: `/v1/planted/${name}/${letters(43)}` });

/** Controls of the benchmark: one request against itself, and a route that is slower by `PLANTED` for one class. */
export const CONTROLS = [
  { name: 'control: one request against itself', status: 204, request: route('alike') },
  {
    name: `control: a leak of ${PLANTED} us`,
    status: 204,
    isLeak: true,
    request: (isFirst) => route(isFirst ? 'slow' : 'alike')(),
  },
];
