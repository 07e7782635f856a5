import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { AdminOperationsModule } from '../operations.module.js';
import { RolesController } from './roles.controller.js';
import { Roles } from './roles.service.js';

/** Roles, which are templates for the ACLs of accounts. */
@Module({ imports: [AuthModule, AdminOperationsModule], controllers: [RolesController], providers: [Roles] })
export class RolesModule {}
