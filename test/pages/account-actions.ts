import type { Locator } from 'playwright-core';
import type { Site, Visit } from '../machine/pages.js';
import { auditOf, type Persona } from '../support/index.js';

/** The reason for the audit log. It can be in any script. */
export const REASON = '本人の申請を確認しました (№ 7)';

/** What an administrator can do on the page of a user, by keyboard. */
export class AccountActions {
  constructor(
    private readonly world: Site,
    private readonly visit: Visit,
  ) {}

  /** The name, the state and the menu of the account. */
  get head(): Locator {
    return this.visit.page.locator('.person-head');
  }

  get main(): Locator {
    return this.visit.page.getByRole('main');
  }

  get menu(): Locator {
    return this.visit.page.getByRole('button', { name: 'Actions', exact: true });
  }

  get dialog(): Locator {
    return this.visit.page.getByRole('dialog');
  }

  private async openMenu(): Promise<Locator> {
    await this.menu.press('Enter');
    const menu = this.visit.page.getByRole('menu', { name: 'Actions' });
    await menu.waitFor();
    return menu;
  }

  /** The actions in the menu. */
  async offered(): Promise<string[]> {
    const menu = await this.openMenu();
    const names = await menu.getByRole('menuitem').allInnerTexts();
    await this.visit.page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    return names;
  }

  /** Opens a tab of the page. */
  async openTab(name: string): Promise<void> {
    await this.visit.page.getByRole('tab', { name, exact: true }).press('Enter');
  }

  /** Opens the dialog of an action. */
  async openDialog(name: string): Promise<void> {
    const menu = await this.openMenu();
    await menu.getByRole('menuitem', { name, exact: true }).press('Enter');
    await this.dialog.waitFor();
  }

  /** Presses a button of the open dialog. */
  async submit(name: string): Promise<void> {
    await this.dialog.getByRole('button', { name, exact: true }).press('Enter');
  }

  async enterReason(reason = REASON): Promise<void> {
    await this.dialog.getByLabel('Reason', { exact: true }).focus();
    await this.visit.page.keyboard.insertText(reason);
  }

  /** Runs an action that needs only a reason, and waits for its confirmation message. */
  async run(name: string, done: string): Promise<void> {
    await this.openDialog(name);
    await this.enterReason();
    await this.submit(name);
    await this.waitForDone(done);
  }

  async waitForDone(done: string): Promise<void> {
    await this.visit.page.getByText(done, { exact: true }).first().waitFor();
    await this.dialog.waitFor({ state: 'detached' });
  }

  /** Expects this as the last entry of the audit log. */
  async expectEntry(by: Persona, of: { readonly id: string }, action: string, metadata: object = {}): Promise<void> {
    const entry = (await auditOf(this.world.service)).at(-1);
    expect(entry).toMatchObject({
      ...{ admin_user_id: by.id, action, target_type: 'user', target_id: of.id, reason: REASON },
    });
    expect(entry?.metadata).toEqual(metadata);
  }
}

export const accountPath = ({ id }: { readonly id: string }): string => `/admin/person?id=${id}`;
