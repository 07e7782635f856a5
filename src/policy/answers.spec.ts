import 'reflect-metadata';
import { ApiBody, ApiQuery, ApiResponses, declaredBodies, declaredQuery, declaredResponses } from './answers.js';

class Handlers {
  plain() {}

  @ApiResponses({ status: 206, type: 'image/*' })
  @ApiResponses({ status: 304 }, { status: 416, description: 'no such range' })
  answering() {}

  @ApiBody({ type: 'multipart/form-data', required: ['file'] }, { type: 'image/png' })
  taking() {}

  @ApiQuery({ name: 't', description: 'what it may', schema: { type: 'string' }, required: true })
  reading() {}
}
const { plain, answering, taking, reading } = Handlers.prototype;

describe('responses that no type describes', () => {
  test('that a handler writes itself, from all decorators in their order', () => {
    expect(declaredResponses(answering)).toEqual([
      { status: 206, type: 'image/*' },
      { status: 304 },
      { status: 416, description: 'no such range' },
    ]);
  });

  test('bodies that it reads itself', () => {
    expect(declaredBodies(taking)).toEqual([
      { type: 'multipart/form-data', required: ['file'] },
      { type: 'image/png' },
    ]);
  });

  test('query parameters that it reads itself', () => {
    expect(declaredQuery(reading)).toEqual([
      { name: 't', description: 'what it may', schema: { type: 'string' }, required: true },
    ]);
  });

  test('nothing without decorators', () => {
    expect([plain, taking, reading].flatMap(declaredResponses)).toEqual([]);
    expect([plain, answering, reading].flatMap(declaredBodies)).toEqual([]);
    expect([plain, answering, taking].flatMap(declaredQuery)).toEqual([]);
  });
});
