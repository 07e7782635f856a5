import { Injectable } from '@nestjs/common';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { AuditActions } from '../audit/audit-actions.service.js';
import type { Operator } from '../audit/operator.js';
import { Role } from './role.entities.js';
import type { CreateRoleInput, EditRoleInput } from './roles.dto.js';

const MAX_ROLES = 50;

/** Serializes all changes of roles, so that parallel requests can neither exceed the limit nor share a name. */
const CHANGE_LOCK = [0x6761, 0x726f];

/** Two names are the same if they differ only in case or in compatible characters. */
const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Roles (admin.md, precisions). They are templates, so no change of a role changes an account. */
@Injectable()
export class Roles {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditActions,
    private readonly features: FeatureRegistry,
  ) {}

  /** Lists all roles, oldest first. */
  async list() {
    const roles = await this.database.read((reader) => reader.find(Role, { order: { id: 'ASC' } }));
    return { roles: roles.map((role) => this.roleView(role)) };
  }

  /** @throws ApiError MAX_ROLES, FV(name: ROLE_NAME_ALREADY_IN_USE) */
  create(by: Operator, { name, acls }: CreateRoleInput) {
    return this.change(by, async (tx) => {
      if ((await tx.count(Role)) >= MAX_ROLES) throw new ApiError('MAX_ROLES');
      const role = { id: this.snowflakes.next(), name, nameKey: nameKeyOf(name), acls: this.features.sortAcls(acls) };
      await this.assertNameFree(tx, role);
      await tx.insert(Role, role);
      await this.audit.record(tx, by, 'create_role', { id: role.id, metadata: { name, acls: role.acls } });
      return this.roleView(role);
    });
  }

  /** @throws ApiError UNKNOWN_ROLE, FV(name: ROLE_NAME_ALREADY_IN_USE) */
  edit(by: Operator, id: string, input: EditRoleInput) {
    return this.change(by, async (tx) => {
      const role = await this.requireRole(tx, id);
      const name = input.name ?? role.name;
      const acls = this.features.sortAcls(input.acls ?? role.acls);
      const changed = { id, name, nameKey: nameKeyOf(name), acls };
      await this.assertNameFree(tx, changed);
      await tx.update(Role, { id }, changed);
      await this.audit.record(tx, by, 'update_role', {
        id,
        metadata: { old_name: role.name, new_name: name, old_acls: this.features.sortAcls(role.acls), new_acls: acls },
      });
      return this.roleView(changed);
    });
  }

  /** @throws ApiError UNKNOWN_ROLE */
  remove(by: Operator, id: string): Promise<void> {
    return this.change(by, async (tx) => {
      const { name, acls } = await this.requireRole(tx, id);
      await tx.delete(Role, { id });
      await this.audit.record(tx, by, 'delete_role', { id, metadata: { name, acls: this.features.sortAcls(acls) } });
    });
  }

  private change<T>(by: Operator, make: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHANGE_LOCK);
      return make(tx);
    });
  }

  private async requireRole(tx: Tx, id: string): Promise<Role> {
    const role = await tx.findOneBy(Role, { id });
    if (!role) throw new ApiError('UNKNOWN_ROLE');
    return role;
  }

  private async assertNameFree(tx: Tx, { id, nameKey }: Role): Promise<void> {
    const holder = await tx.findOneBy(Role, { nameKey });
    if (holder && holder.id !== id) throw validationError('name', 'ROLE_NAME_ALREADY_IN_USE');
  }

  /** Leaves out ACLs that no feature declares any more, because an account cannot get them. */
  private roleView({ id, name, acls }: Role) {
    return { id, name, acls: this.features.sortAcls(acls).filter((acl) => this.features.acls.has(acl)) };
  }
}
