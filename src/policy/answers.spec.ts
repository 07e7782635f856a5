import 'reflect-metadata';
import { Answers, answersOf, queryOf, ReadsQuery, Takes, takesOf } from './answers.js';

class Handlers {
  plain() {}

  @Answers({ status: 206, type: 'image/*' })
  @Answers({ status: 304 }, { status: 416, description: 'no such range' })
  answering() {}

  @Takes({ type: 'multipart/form-data', required: ['file'] }, { type: 'image/png' })
  taking() {}

  @ReadsQuery({ name: 't', description: 'what it may', schema: { type: 'string' }, required: true })
  reading() {}
}
const { plain, answering, taking, reading } = Handlers.prototype;

describe('what a handler says that no type tells', () => {
  test('the answers that it writes itself, those of all decorators in their order', () => {
    expect(answersOf(answering)).toEqual([
      { status: 206, type: 'image/*' },
      { status: 304 },
      { status: 416, description: 'no such range' },
    ]);
  });

  test('the bodies that it reads itself', () => {
    expect(takesOf(taking)).toEqual([{ type: 'multipart/form-data', required: ['file'] }, { type: 'image/png' }]);
  });

  test('the parameters of the query that it reads itself', () => {
    expect(queryOf(reading)).toEqual([
      { name: 't', description: 'what it may', schema: { type: 'string' }, required: true },
    ]);
  });

  test('is nothing where it says nothing', () => {
    expect([plain, taking, reading].flatMap(answersOf)).toEqual([]);
    expect([plain, answering, reading].flatMap(takesOf)).toEqual([]);
    expect([plain, answering, taking].flatMap(queryOf)).toEqual([]);
  });
});
