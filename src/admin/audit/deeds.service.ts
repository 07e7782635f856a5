import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { AuditLog, type Deed } from './audit.service.js';
import type { Operator } from './operator.js';

/** A kind of Admin operation of a team, as `registerDeed` made it. */
export interface DeedKind {
  readonly action: string;
  readonly target: string;
}

/** To whom or what it was done, and facts about it: never secrets. */
export interface DeedFacts {
  /** Of what `target` names. */
  readonly id?: string;
  /** Lists are joined by commas, `null` is the empty text. Names that end in `email` are redacted for most readers. */
  readonly metadata?: Deed['metadata'];
}

const kinds = new Map<string, DeedKind>();

/**
 * Adds a kind of Admin operation of a team's own to what the audit log may tell.
 * @param action begins with the name of the module, so that it is none of ours: `notes:remove`
 * @param target what it is done to: `user`, or a word of the team's own
 */
export function registerDeed(action: string, target: string): DeedKind {
  const isNamed = /^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$/.test(action) && /^[a-z][a-z0-9_]{0,63}$/.test(target);
  if (!isNamed || kinds.has(action)) throw new Error(`the deed ${action} of a ${target} cannot be added`);
  const kind = Object.freeze({ action, target });
  kinds.set(action, kind);
  return kind;
}

/** Entries of the audit log that teams write: one for every Admin operation that changes something. */
@Injectable()
export class Deeds {
  constructor(private readonly audit: AuditLog) {}

  /** In the operation's own transaction, last: from here to the commit, every other writer of entries waits. */
  async record(tx: Tx, by: Operator, { action, target }: DeedKind, { id, metadata }: DeedFacts = {}): Promise<void> {
    const whom = id === undefined ? { type: target } : { type: target, id };
    await this.audit.record(tx, by, { action, target: whom, ...(metadata ? { metadata } : {}) });
  }
}
