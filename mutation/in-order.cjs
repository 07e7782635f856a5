const { default: Sequencer } = require('@jest/test-sequencer');

const { tests: order } = JSON.parse(process.env.MUTATION_PART);
const placeOf = ({ path }) => order.findIndex((name) => path.endsWith(`/${name}`));

/** The files as the part names them: first those that notice most for the least. */
module.exports = class InOrder extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
};
