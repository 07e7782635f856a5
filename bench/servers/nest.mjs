/** A bare Nest application with one route and nothing else, on the platform that `HTTP_PLATFORM` names. */
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class MeController {
  show() {
    return { id: '1573653208159485952', username: 'alice', discriminator: '1393' };
  }
}
Controller('v1/users/@me')(MeController);
Get()(MeController.prototype, 'show', Object.getOwnPropertyDescriptor(MeController.prototype, 'show'));

class BareModule {}
Module({ controllers: [MeController] })(BareModule);

const adapter = process.env.HTTP_PLATFORM === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
const app = await NestFactory.create(BareModule, adapter, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.send?.('ready');
