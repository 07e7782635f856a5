/** What only a file of tests has for itself in a run: the modules that it imports are those of the process. */
export const resolve = (specifier, context, next) =>
  next(specifier, { ...context, parentURL: context.parentURL?.replace(/\?run=[\w-]+$/, '') });
