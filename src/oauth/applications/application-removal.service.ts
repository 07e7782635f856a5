import { Injectable } from '@nestjs/common';
import { AccountDataRegistry } from '../../accounts/account-data-registry.service.js';
import { AccountState } from '../../accounts/account-state.service.js';
import { Applications } from './applications.service.js';

/** Deletes the applications and bots of an account that is being deleted. */
@Injectable()
export class ApplicationRemoval {
  constructor(accountDataRegistry: AccountDataRegistry, state: AccountState, applications: Applications) {
    accountDataRegistry.registerEraser(async (tx, ownerId) => {
      const bots = await applications.ofOwner(ownerId, tx);
      await applications.deleteAllOf(tx, ownerId);
      for (const { id } of bots) await state.erase(tx, id);
    });
  }
}
