/** Each run has its own instance of the test file only. The modules that it imports are those of the process. */
export const resolve = (specifier, context, next) =>
  next(specifier, { ...context, parentURL: context.parentURL?.replace(/\?run=[\w-]+$/, '') });
