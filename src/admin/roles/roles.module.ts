import { Module } from '@nestjs/common';
import { RolesController } from './roles.controller.js';
import { Roles } from './roles.service.js';

/** Roles, which are templates for the ACLs of accounts. */
@Module({ controllers: [RolesController], providers: [Roles] })
export class RolesModule {}
