/** Allows stepping the clock of the process. From then on, all new dates in the process are shifted by that amount. */
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

  // Dates that Node creates itself are instances of the original class.
  static [Symbol.hasInstance](value) {
    return value instanceof Real;
  }
}
globalThis.Date = Stepped;

process.on('message', ({ aheadMs }) => {
  if (aheadMs !== undefined) ahead = aheadMs;
});
