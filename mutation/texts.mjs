import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const SQL = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/;
const MESSAGES = ['Error', 'debug', 'info', 'warn', 'error'];

const startOf = ({ value, quasis }) => value ?? quasis[0].value.raw;

/** The name of the called function, method or class, if the node is one of its arguments. */
const calledFor = ({ parent, listKey }) =>
  listKey === 'arguments' ? (parent.callee.property?.name ?? parent.callee.name) : undefined;

/**
 * Leaves texts without effect as they are: SQL, names of prepared statements and messages. An emptied statement
 * always fails. Decorators are compared with `test/routes.snapshot.txt`.
 */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'texts', {
    shouldIgnore(path) {
      if (path.isDecorator()) return 'a declaration, which the list of routes shows';
      if (!path.isStringLiteral() && !path.isTemplateLiteral()) return undefined;
      if (SQL.test(startOf(path.node))) return 'SQL';
      const called = calledFor(path);
      if (called === 'statement' || called === 'query') return 'SQL';
      return MESSAGES.includes(called) ? 'a message' : undefined;
    },
  }),
];
