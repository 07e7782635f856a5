/** Passes JSON to a column. For TypeORM, the members of every object are columns, so it does not accept any other type. */
// biome-ignore lint/plugin: the type of the column is not known here
export const toJsonColumn = (value: object): never => value as never;
