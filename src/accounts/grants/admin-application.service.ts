import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { digest } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database } from '../../platform/database/database.js';
import { InstanceSetting } from '../../platform/instance/instance.entities.js';
import { Application } from './oauth.entities.js';

/** The built-in Admin application (admin.md 6.1). It is recognized only by its ID, never by its name. */
@Injectable()
export class AdminApplication implements OnModuleInit {
  private applicationId = '';

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly config: Config,
  ) {}

  get id(): string {
    return this.applicationId;
  }

  async onModuleInit(): Promise<void> {
    this.applicationId = this.config.admin.applicationId ?? (await this.loadOrCreateId());
    const { clientSecret, endpoint } = this.config.admin;
    await this.database.manager.upsert(
      Application,
      {
        id: this.applicationId,
        ownerId: null,
        name: 'Gatehouse Admin',
        clientType: 'confidential',
        redirectUris: [`${endpoint}/oauth2_callback`],
        secretDigest: clientSecret === undefined ? null : digest(clientSecret),
      },
      ['id'],
    );
  }

  /** Returns the stored ID. If several processes start for the first time together, the first insert wins. */
  private async loadOrCreateId(): Promise<string> {
    const name = 'admin_application_id';
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(InstanceSetting)
      .values({ name, value: this.snowflakes.next() })
      .orIgnore()
      .execute();
    return String((await this.database.manager.findOneByOrFail(InstanceSetting, { name })).value);
  }
}
