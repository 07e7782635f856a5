import { countCodePoints, isText } from '../../core/text/text.js';
import { field } from '../../http/input.js';

export interface PlannedFile {
  readonly id: number;
  readonly filename: string;
  readonly file_size: number;
  readonly content_type: string;
}

const MAX_FILES = 10;

const MAX_TEXT = 255;
const MAX_ID = 2 ** 31 - 1;

const isShortText = (value: unknown): boolean =>
  isText(value) && value !== '' && value.length <= 2 * MAX_TEXT && countCodePoints(value) <= MAX_TEXT;

const isInt = (value: unknown, min: number, max: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;

const RULES: Readonly<Record<keyof PlannedFile, (value: unknown) => boolean>> = {
  id: (value) => isInt(value, 0, MAX_ID),
  filename: isShortText,
  file_size: (value) => isInt(value, 1, Number.MAX_SAFE_INTEGER),
  content_type: isShortText,
};

/** Paths of the invalid members of one file. */
function invalidMembers(file: unknown, index: number, seen: Set<unknown>): string[] {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) return [`.${index}`];
  const given = file as Record<string, unknown>;
  const wrong = (Object.keys(RULES) as (keyof PlannedFile)[]).filter((name) => !RULES[name](given[name]));
  if (seen.has(given.id) && !wrong.includes('id')) wrong.unshift('id');
  seen.add(given.id);
  return wrong.map((name) => `.${index}.${name}`);
}

function PlannedFiles(): PropertyDecorator {
  const text = { type: 'string', minLength: 1, maxLength: MAX_TEXT };
  const id = { type: 'integer', minimum: 0, maximum: MAX_ID };
  const properties = { id, filename: text, file_size: { type: 'integer', minimum: 1 }, content_type: text };
  const items = { type: 'object', properties, required: Object.keys(properties) };
  const list = { type: 'array', items, minItems: 1, maxItems: MAX_FILES, 'x-gatehouse-unique': 'id' };
  return field({ description: list }, (value) => {
    if (!Array.isArray(value) || value.length < 1 || value.length > MAX_FILES) return 'INVALID_FORMAT';
    const seen = new Set<unknown>();
    const faults = value.flatMap((file, index) => invalidMembers(file, index, seen));
    return faults.length > 0 ? faults.map((at) => ({ at, code: 'INVALID_FORMAT' as const })) : undefined;
  });
}

export class PlanInput {
  @PlannedFiles() attachments: PlannedFile[];
}

function UploadedFiles(): PropertyDecorator {
  const text = { type: 'string', minLength: 1, maxLength: MAX_TEXT };
  const items = { type: 'object', properties: { upload_filename: text }, required: ['upload_filename'] };
  return field({ description: { type: 'array', items, minItems: 1, maxItems: MAX_FILES } }, (value) => {
    if (!Array.isArray(value) || value.length < 1 || value.length > MAX_FILES) return 'INVALID_FORMAT';
    const faults = value.flatMap((file, index) => {
      if (typeof file !== 'object' || file === null || Array.isArray(file)) return [`.${index}`];
      return isShortText((file as Record<string, unknown>).upload_filename) ? [] : [`.${index}.upload_filename`];
    });
    return faults.length > 0 ? faults.map((at) => ({ at, code: 'INVALID_FORMAT' as const })) : undefined;
  });
}

export class CompleteInput {
  @UploadedFiles() uploads: { upload_filename: string }[];
}
