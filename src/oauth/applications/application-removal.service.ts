import { Injectable } from '@nestjs/common';
import { AccountState } from '../../accounts/account-state.service.js';
import type { Tx } from '../../platform/database/database.js';
import type { DataEraser } from '../../policy/account-data.js';
import { Applications } from './applications.service.js';

/** Deletes the applications and bots of an account that is being deleted. */
@Injectable()
export class ApplicationRemoval implements DataEraser {
  constructor(
    private readonly state: AccountState,
    private readonly applications: Applications,
  ) {}

  async erase(tx: Tx, ownerId: string): Promise<void> {
    const bots = await this.applications.ofOwner(ownerId, tx);
    await this.applications.deleteAllOf(tx, ownerId);
    for (const { id } of bots) await this.state.erase(tx, id);
  }
}
