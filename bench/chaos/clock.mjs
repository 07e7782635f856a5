/** Lets the clock of the process be stepped: every date that is made from now on, whoever makes it, is off by as much. */
const Real = Date;
let ahead = 0;

class Stepped extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + ahead);
    else super(...args);
  }

  static now() {
    return Real.now() + ahead;
  }

  // Dates that Node makes itself are of the other class.
  static [Symbol.hasInstance](value) {
    return value instanceof Real;
  }
}
globalThis.Date = Stepped;

process.on('message', ({ aheadMs }) => {
  if (aheadMs !== undefined) ahead = aheadMs;
});
