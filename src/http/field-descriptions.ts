import type { ApiPropertyOptions } from '@nestjs/swagger';

interface Described {
  readonly target: object;
  readonly key: string | symbol;
  readonly options: ApiPropertyOptions;
}

const untold: Described[] = [];

/** How the API description shows a field. */
export function describeField(target: object, key: string | symbol, options: ApiPropertyOptions): void {
  untold.push({ target, key, options });
}

/** Tells what writes the description of every field that it does not know yet, in the order of their declaration. */
export function tellFields(tell: (options: ApiPropertyOptions) => PropertyDecorator): void {
  for (const { target, key, options } of untold.splice(0)) tell(options)(target, key);
}
