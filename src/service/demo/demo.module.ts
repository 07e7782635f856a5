import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { AdminOperationsModule } from '../../admin/operations.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { DemoData } from './demo-data.service.js';

@Module({ imports: [AccountsModule, AuthModule, AdminOperationsModule], providers: [DemoData] })
export class DemoModule {}
