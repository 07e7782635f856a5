/**
 * Builds a query that runs `lookup` for each item of the array parameter `$1`. PostgreSQL keeps the generic plan of a
 * prepared statement only if it is no more expensive than a custom plan. For an array it assumes ten items, so a
 * shorter one would be planned on every execution, at several times the cost of a lookup. Here, the planner cannot see
 * the array: each item is looked up by index, however few rows the table had when the plan was made.
 * @param type the PostgreSQL type of an item
 * @param lookup returns a SELECT, given the SQL name of the item
 */
export const lateralLookupSql = (type: string, lookup: (item: string) => string): string => `
  SELECT found.* FROM unnest((SELECT $1::${type}[])) AS wanted (item)
    CROSS JOIN LATERAL (${lookup('wanted.item')} OFFSET 0) AS found`;
