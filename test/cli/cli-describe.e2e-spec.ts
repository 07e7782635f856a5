import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiMetadata } from '../../src/description/api-metadata.js';
import { endProcesses, ServiceProcess } from '../machine/service-process.js';

const ROOT = join(import.meta.dirname, '../..');

const NOTES = `
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { ApiError, type Call, CurrentCall, CurrentIdentity, type Identity, Public, RateLimit, readJson, Text, UserOnly, validationError } from '@gatehouse-auth/server';

declare module '@gatehouse-auth/server' {
  interface ExtraErrorCodes { NOTE_IS_LOST: true }
  interface ErrorExtras { NOTE_IS_LOST: { note_id: string } }
}

export interface Note { readonly id: string; readonly text: string | null; readonly made_at: Date }
export class NoteInput { @Text({ max: 100 }) text!: string }

@Controller('v1/notes')
export class NotesController {
  /** Lists notes. The newest first. */
  @Get() @UserOnly() @RateLimit('instance:info')
  async list(@CurrentIdentity() me: Identity): Promise<{ notes: Note[] }> {
    if (me.account.bot) throw validationError('text', 'INVALID_CODE');
    return { notes: [] };
  }
  /** Takes a note. */
  @Post() @Public() @RateLimit('instance:info')
  async take(@CurrentCall() call: Call) { await readJson(call, 100); throw new ApiError('NOTE_IS_LOST', { note_id: '1' }); }
}

/** Notes of people. */
@Module({ controllers: [NotesController] })
export class NotesModule {}
`;

let folder: string;
beforeAll(() => {
  // In a folder below the installed packages, as in a project of a team.
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'node_modules/.cache/team-'));
  mkdirSync(join(folder, 'node_modules/@gatehouse-auth'), { recursive: true });
  mkdirSync(join(folder, 'notes'));
  symlinkSync(ROOT, join(folder, 'node_modules/@gatehouse-auth/server'));
  writeFileSync(join(folder, 'notes/notes.module.ts'), NOTES);
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
    ...{ experimentalDecorators: true, emitDecoratorMetadata: true },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'notes', type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['notes'] }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const describeNotes = (...more: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'dist/src/cli.js'), 'describe', ...more], { cwd: folder, encoding: 'utf8' });

describe('the built service', () => {
  afterAll(endProcesses);

  test('is described like its sources', () => {
    const arguments_ = [join(ROOT, 'scripts/describe.mjs'), '--check'];
    const { status, stderr } = spawnSync(process.execPath, arguments_, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('describes the responses of its handlers', async () => {
    const service = await ServiceProcess.ready({});
    const { body } = await service.anonymous.get('/openapi.json');
    const { post } = body.paths['/v1/auth/login'];
    expect(post.responses['200'].content['application/json'].schema).toEqual({
      anyOf: [{ $ref: '#/components/schemas/MfaChallenge' }, { $ref: '#/components/schemas/TokenResponse' }],
    });
    expect(body.components.schemas.TokenResponse.required).toEqual(['token', 'user_id', 'user']);
  });
});

describe('gatehouse describe', () => {
  test('describes the controllers of an extension, including errors of the package', () => {
    const { status, stdout, stderr } = describeNotes();
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'dist/description.json: 2 handlers of 1 controllers\n',
      stderr: '',
    });
    const described = JSON.parse(readFileSync(join(folder, 'dist/description.json'), 'utf8')) as ApiMetadata;
    const { list, take } = described.controllers.NotesController?.handlers ?? {};
    expect(described.tags).toEqual({ notes: 'Notes of people.' });
    expect(list).toMatchObject({
      summary: 'Lists notes',
      description: 'The newest first.',
      fieldCodes: ['INVALID_CODE'],
    });
    expect(described.schemas.Note).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        text: { type: ['string', 'null'] },
        made_at: { type: 'string', format: 'date-time' },
      },
      required: ['id', 'text', 'made_at'],
    });
    expect(described.extras.NOTE_IS_LOST).toMatchObject({ properties: { note_id: { type: 'string' } } });
    expect(take?.codes).toEqual(
      expect.arrayContaining(['INVALID_FORM_BODY', 'NOTE_IS_LOST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
    );
  });

  test('names the project that it cannot read', () => {
    const { status, stderr } = describeNotes('--project', 'nowhere.json');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('nowhere.json') });
  });
});
