/**
 * The built service with an additional route that takes `LEAK_MICROSECONDS` longer for one class of requests. The
 * timing benchmark must find this leak.
 */
import 'reflect-metadata';
import { Controller, Get, HttpCode, Module } from '@nestjs/common';
import { CredentialFree, extension, start } from '../../dist/src/index.js';

const nanoseconds = BigInt(process.env.LEAK_MICROSECONDS) * 1000n;

class PlantedController {
  alike() {}

  slow() {
    const until = process.hrtime.bigint() + nanoseconds;
    while (process.hrtime.bigint() < until);
  }
}
for (const name of ['alike', 'slow']) {
  const method = Object.getOwnPropertyDescriptor(PlantedController.prototype, name);
  for (const decorate of [Get(`${name}/:guess`), HttpCode(204), CredentialFree()]) {
    decorate(PlantedController.prototype, name, method);
  }
}
Controller('v1/planted')(PlantedController);

class PlantedModule {}
Module({ controllers: [PlantedController] })(PlantedModule);

await start(extension({ modules: [PlantedModule] }));
