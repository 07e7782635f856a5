import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MediaService } from '../media/objects/media.service.js';
import { Applications } from '../oauth/applications/applications.service.js';
import type { ChangeResult, Tx } from '../platform/database/database.js';
import { Cleanup } from '../platform/jobs/cleanup.js';
import type { DataEraser } from '../policy/account-data.js';
import type { StoredAttachment } from './webhook.entities.js';
import { WebhookService } from './webhooks.service.js';

/** Deletes expired messages, and webhooks of deleted accounts and applications (section 8). */
@Injectable()
export class WebhookUpkeep implements OnModuleInit, DataEraser {
  constructor(
    private readonly cleanup: Cleanup,
    private readonly media: MediaService,
    private readonly webhooks: WebhookService,
    private readonly applications: Applications,
  ) {}

  onModuleInit(): void {
    this.cleanup.addExpiry('webhook_repeat', 'ctid', 'expires_at <= now()');
    this.cleanup.add('webhook_message', (tx, limit) => this.removeMessages(tx, limit));
    this.applications.beforeDelete((tx, applicationId) => this.webhooks.removeAllOf(tx, { applicationId }));
  }

  async erase(tx: Tx, ownerId: string): Promise<void> {
    await this.webhooks.removeAllOf(tx, { ownerId });
  }

  private async removeMessages(tx: Tx, limit: number): Promise<number> {
    const [rows] = await tx.query<ChangeResult<{ attachments: StoredAttachment[] }>>(
      `DELETE FROM webhook_message WHERE id IN (
         SELECT id FROM webhook_message WHERE expires_at <= now() LIMIT $1
       ) RETURNING attachments`,
      [limit],
    );
    const files = rows.flatMap(({ attachments }) => attachments);
    await this.media.delete(
      tx,
      files.map(({ key }) => key),
    );
    return rows.length;
  }
}
