import { Injectable } from '@nestjs/common';
import type { NameOf } from '../../core/names.js';
import type { Tx } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { AuditLog, type AuditRecord } from './audit.service.js';
import type { Operator } from './operator.js';

/** The target of an operation and facts about it, never secrets. */
export interface AuditFacts {
  /** The ID of the target. Its type is part of the kind. */
  readonly id?: string;
  /**
   * Texts, numbers, booleans, lists of texts, or `null`. Lists are joined with commas, and `null` becomes an empty
   * string. Most readers see members whose name ends in `email` redacted.
   */
  readonly metadata?: AuditRecord['metadata'];
}

/** Audit log entries of extensions. Every Admin operation that changes something must record one. */
@Injectable()
export class AuditActions {
  constructor(
    private readonly audit: AuditLog,
    private readonly features: FeatureRegistry,
  ) {}

  /**
   * Records an entry. Call it last in the transaction of the operation, because every other append waits until the
   * commit.
   */
  async record(tx: Tx, by: Operator, action: NameOf<'auditActions'>, { id, metadata }: AuditFacts = {}): Promise<void> {
    const target = this.features.auditActions.get(action);
    if (target === undefined)
      throw new Error(`Unknown audit action ${action}. Declare it in auditActions of a feature`);
    const targetFields = id === undefined ? { type: target } : { type: target, id };
    await this.audit.record(tx, by, { action, target: targetFields, ...(metadata ? { metadata } : {}) });
  }
}
