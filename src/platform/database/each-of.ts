/**
 * What `lookup` finds for each item of the list that is parameter 1, of which the plan knows nothing. PostgreSQL keeps the plan
 * of a prepared statement where that promises no more work than one for the values of the moment, and of any list it expects
 * ten: where it may look into one that is shorter, it plans each time, at several times the cost of a lookup. Each item is
 * looked for by itself, by the index that fits, however few rows there were when the plan was made.
 *
 * @param type of an item, as PostgreSQL calls it
 * @param lookup a SELECT, given the name of the item
 */
export const eachOf = (type: string, lookup: (item: string) => string): string => `
  SELECT found.* FROM unnest((SELECT $1::${type}[])) AS wanted (item)
    CROSS JOIN LATERAL (${lookup('wanted.item')} OFFSET 0) AS found`;
