import {
  Body,
  Catch,
  Controller,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  Query,
  Redirect,
  Render,
  RequestMethod,
  Sse,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  Version,
} from '@nestjs/common';
import { ModulesContainer, NestFactory, RouterModule } from '@nestjs/core';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import * as internals from '../../src/pipeline/nest-internals.js';
import { inputPartOf } from '../../src/pipeline/route-input.js';

class Guard {}
class Interceptor {}
class Pipe {}
@Catch()
class Filter {}

@Controller({ path: 'probe', host: 'probe.example' })
@UseGuards(Guard as never)
@UseInterceptors(Interceptor as never)
@UsePipes(Pipe as never)
@UseFilters(Filter as never)
class ProbeController {
  @Get('plain')
  @HttpCode(202)
  @Header('X-Probe', 'yes')
  @Version('2')
  plain(@Param() _params: object, @Query() _query: object, @Body() _body: object) {}

  @Get('moved')
  @Redirect('/elsewhere', 307)
  moved() {}

  @Get('page')
  @Render('page')
  page() {}

  @Sse('events')
  events() {}
}

@WebSocketGateway({ path: '/probe' })
class ProbeGateway {
  @SubscribeMessage('PROBE')
  probe(@MessageBody() _payload: object) {}
}

const names = { ...internals };

describe('the Nest metadata that the audits read', () => {
  const { plain, moved, page, events } = ProbeController.prototype;

  test.each<[keyof typeof names, object, unknown]>([
    ['PATH_METADATA', ProbeController, 'probe'],
    ['HOST_METADATA', ProbeController, 'probe.example'],
    ['GUARDS_METADATA', ProbeController, [Guard]],
    ['INTERCEPTORS_METADATA', ProbeController, [Interceptor]],
    ['PIPES_METADATA', ProbeController, [Pipe]],
    ['EXCEPTION_FILTERS_METADATA', ProbeController, [Filter]],
    ['PATH_METADATA', plain, 'plain'],
    ['METHOD_METADATA', plain, RequestMethod.GET],
    ['HTTP_CODE_METADATA', plain, 202],
    ['HEADERS_METADATA', plain, [{ name: 'X-Probe', value: 'yes' }]],
    ['VERSION_METADATA', plain, '2'],
    ['REDIRECT_METADATA', moved, { url: '/elsewhere', statusCode: 307 }],
    ['RENDER_METADATA', page, 'page'],
    ['SSE_METADATA', events, true],
    ['GATEWAY_METADATA', ProbeGateway, true],
    ['GATEWAY_OPTIONS', ProbeGateway, { path: '/probe' }],
    ['PORT_METADATA', ProbeGateway, 0],
    ['MESSAGE_MAPPING_METADATA', ProbeGateway.prototype.probe, true],
    ['MESSAGE_METADATA', ProbeGateway.prototype.probe, 'PROBE'],
  ])('%s', (name, target, expected) => {
    expect(Reflect.getMetadata(names[name], target)).toEqual(expected);
  });

  test('ROUTE_ARGS_METADATA has one entry per argument, whose key names the part of the input', () => {
    const bound = Object.entries<{ index: number }>(
      Reflect.getMetadata(names.ROUTE_ARGS_METADATA, ProbeController, 'plain'),
    );
    expect(bound.map(([key, { index }]) => [inputPartOf(key), index]).sort()).toEqual([
      ['body', 2],
      ['params', 0],
      ['query', 1],
    ]);
  });

  test('MODULE_PATH has the prefix that a router module adds', async () => {
    @Module({})
    class Inner {}
    @Module({ imports: [Inner, RouterModule.register([{ path: 'prefix', module: Inner }])] })
    class Outer {}
    const application = await NestFactory.createApplicationContext(Outer, { logger: false });
    const { applicationId } = application.get(ModulesContainer);
    expect(Reflect.getMetadata(names.MODULE_PATH + applicationId, Inner as Type)).toBe('/prefix');
    await application.close();
  });
});
