import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import type { Config } from '../core/config/config.js';
import { HttpModule } from '../http/http.module.js';
import { AssetsController } from './assets.controller.js';
import { ComponentsController } from './components.controller.js';
import { ConsentWarning } from './consent-warning.js';
import { GuidesController } from './guides.controller.js';
import { Guides } from './guides.service.js';
import { ConsentPageController, ConsoleController, LogoutPageController, PagesController } from './pages.controller.js';
import { Pages } from './pages.service.js';

/** Serves the web UI (web.md), only the consent page, or no pages; and the guides next to /docs. */
@Module({})
export class WebModule {
  static with({ web, brand, production, docsEnabled, openid }: Config): DynamicModule {
    const pages = [
      ...(web.pages ? [PagesController] : []),
      ...(web.admin ? [ConsoleController] : []),
      ...(web.pages && !production ? [ComponentsController] : []),
      ...(web.consent ? [ConsentPageController] : []),
      ...(web.consent && openid.isEnabled ? [LogoutPageController] : []),
    ];
    // Emails show the logo, even if the pages are disabled.
    const hasFiles = pages.length > 0 || brand.logo?.file !== undefined;
    return {
      module: WebModule,
      imports: [AccountsModule, HttpModule],
      controllers: [...pages, ...(hasFiles ? [AssetsController] : []), ...(docsEnabled ? [GuidesController] : [])],
      providers: [
        ...(hasFiles ? [Pages] : []),
        ...(docsEnabled ? [Guides] : []),
        ...(web.lacksConsent ? [ConsentWarning] : []),
      ],
    };
  }
}
