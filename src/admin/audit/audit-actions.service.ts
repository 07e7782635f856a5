import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { AuditLog, type AuditRecord } from './audit.service.js';
import type { Operator } from './operator.js';

/** A kind of Admin operation that an extension has registered. */
export interface AuditAction {
  readonly action: string;
  readonly target: string;
}

/** The target of an operation and facts about it, never secrets. */
export interface AuditFacts {
  /** The ID of the target. Its type is part of the kind. */
  readonly id?: string;
  /**
   * Lists are joined with commas, and `null` becomes an empty string. Most readers see members whose name ends in
   * `email` redacted.
   */
  readonly metadata?: AuditRecord['metadata'];
}

const kinds = new Map<string, AuditAction>();

/**
 * Registers a kind of Admin operation of an extension for the audit log.
 * @param action starts with the name of the module, to avoid conflicts with built-in actions: `notes:remove`
 * @param target the type of the target: `user` or a type of the extension
 */
export function registerAuditAction(action: string, target: string): AuditAction {
  const isNamed = /^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$/.test(action) && /^[a-z][a-z0-9_]{0,63}$/.test(target);
  if (!isNamed || kinds.has(action)) throw new Error(`the deed ${action} of a ${target} cannot be added`);
  const kind = Object.freeze({ action, target });
  kinds.set(action, kind);
  return kind;
}

/** Audit log entries of extensions. Every Admin operation that changes something must record one. */
@Injectable()
export class AuditActions {
  constructor(private readonly audit: AuditLog) {}

  /**
   * Records an entry. Call it last in the transaction of the operation, because every other append waits until the
   * commit.
   */
  async record(
    tx: Tx,
    by: Operator,
    { action, target }: AuditAction,
    { id, metadata }: AuditFacts = {},
  ): Promise<void> {
    const whom = id === undefined ? { type: target } : { type: target, id };
    await this.audit.record(tx, by, { action, target: whom, ...(metadata ? { metadata } : {}) });
  }
}
