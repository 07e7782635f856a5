import { Body, Controller, Get, Injectable, Module, Param, Post, Scope } from '@nestjs/common';
import { readRoutes } from '../../src/app.js';
import {
  Authenticated,
  Check,
  defineFeature,
  type ErrorCode,
  type Extension,
  loadConfig,
  type RouteCheck,
  Snowflake,
  Text,
  UserOnly,
} from '../../src/index.js';

/** The lines of the message with which an extension does not start. */
async function faultsOf(extension: Extension): Promise<string[]> {
  const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44) });
  const error = await readRoutes(config, extension).then(
    () => new Error('the extension starts'),
    (reason: Error) => reason,
  );
  return error.message.split('\n').map((line) => line.trim());
}

class PagePath {
  @Snowflake() page_id: string;
}

class PageInput {
  @Snowflake() page_id: string;
  @Text({ max: 20, optional: true }) note?: string;
}

class Reading implements RouteCheck {
  readonly input: readonly never[] = [];
  readonly errors: readonly ErrorCode[] = [];
  check(): void {}
}

@Injectable()
class Misspelled extends Reading {
  override readonly input = ['page_idd'] as never[];
  override readonly errors = ['PAGES_LOST', 'NOT_FOUND'] as ErrorCode[];
}

@Injectable()
class OfPage extends Reading {
  override readonly input = ['page_id', 'note'] as never[];
}

@Injectable({ scope: Scope.REQUEST })
class Scoped extends Reading {}

class Unprovided extends Reading {}

@Controller('v1/pages/:page_id')
@Authenticated()
class PagesController {
  @Get()
  @Check(Misspelled)
  misspelled(@Param() _path: PagePath): void {}

  @Post()
  @Check(OfPage)
  twice(@Param() _path: PagePath, @Body() _input: PageInput): void {}

  @Get('scoped')
  @Check(Scoped)
  scoped(): void {}

  @Get('unprovided')
  @Check(Unprovided)
  unprovided(): void {}
}

@Controller('v1/page')
class PathController {
  @Get(':id')
  @UserOnly()
  show(@Param() _path: PagePath): void {}
}

@Module({ controllers: [PagesController, PathController], providers: [Misspelled, OfPage, Scoped] })
class PagesModule {}

describe('mistakes of extensions stop the start with their cause and their fix', () => {
  test('a check that cannot work, and a path parameter that does not exist', async () => {
    expect(await faultsOf({ features: [defineFeature('pages', { modules: [PagesModule] })] })).toEqual([
      'Route policy audit failed:',
      "PagesController.misspelled (GET /v1/pages/:page_id) declares @Check(Misspelled) with the unknown error code 'PAGES_LOST'. Declare it in errors of a feature",
      "PagesController.misspelled (GET /v1/pages/:page_id) declares @Check(Misspelled), which reads 'page_idd', but no input class of the handler has it. Add it to the class of @Param(), @Query() or @Body(), or correct input of the check",
      "PagesController.twice (POST /v1/pages/:page_id) declares @Check(OfPage), which reads 'page_id', but params and body have it. Rename it in one of them",
      "PagesController.twice (POST /v1/pages/:page_id) declares @Check(OfPage), which reads 'note', but a request can leave it out. Remove optional and nullable of its rule",
      'PagesController.scoped (GET /v1/pages/:page_id/scoped) declares @Check(Scoped), which is created for every request. Remove the request scope of the class and its dependencies',
      'PagesController.unprovided (GET /v1/pages/:page_id/unprovided) declares @Check(Unprovided), which has no provider. Add Unprovided to the providers of a module',
      'PathController.show (GET /v1/page/:id) requires the path parameter page_id, which its path does not have. Add :page_id, or rename the member',
    ]);
  });
});
