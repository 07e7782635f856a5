import { Controller, Get, Module } from '@nestjs/common';
import { Public } from '../../src/index.js';
import { boot } from '../support/boot.js';

describe('a route that exists in both the service and an extension', () => {
  test('the audit names both handlers', async () => {
    @Controller('v1/users/@me')
    class TheirController {
      @Get()
      @Public()
      show() {}
    }
    @Module({ controllers: [TheirController] })
    class TheirModule {}
    await expect(boot([TheirModule])).rejects.toThrow(
      /MeController\.\w+ and TheirController\.show|TheirController\.show and/,
    );
  });
});
