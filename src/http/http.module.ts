import { Module } from '@nestjs/common';
import { Routes } from '../policy/routes.js';
import { AdminNetworks } from './admin-networks.js';
import { ClientAddresses } from './client-addresses.js';
import { CrossOrigin } from './cross-origin.js';
import { ErrorPages } from './error-pages.js';

const SERVICES = [Routes, AdminNetworks, ClientAddresses, CrossOrigin, ErrorPages];

/** The routes, and the rules of responses that depend on the route or on the client. */
@Module({ providers: SERVICES, exports: SERVICES })
export class HttpModule {}
