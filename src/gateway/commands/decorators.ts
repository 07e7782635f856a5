import { type ArgumentsHost, applyDecorators, Catch, type ExceptionFilter, Logger, UseFilters } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';

export const GATEWAY_PATH = '/gateway';

const GATEWAY_COMMANDS = Symbol('gatehouse:gateway-commands');
const BEFORE_IDENTIFY = Symbol('gatehouse:before-identify');
const SESSION_START = Symbol('gatehouse:session-start');
const HOOKS = ['handleConnection', 'handleDisconnect'];

/** What is thrown reaches the connection, which alone knows how to end. Nest's own filter would send the payload back. */
@Catch()
class Rethrow implements ExceptionFilter {
  catch(thrown: unknown, _host: ArgumentsHost): never {
    throw thrown;
  }
}

/**
 * Handlers of gateway commands: `@SubscribeMessage` with an opcode from 64 to 255 or with a name, a policy, and no more
 * than the payload's class to take. Stands in the place of `@WebSocketGateway`.
 */
export const GatewayCommands = (): ClassDecorator =>
  applyDecorators(
    WebSocketGateway({ path: GATEWAY_PATH }),
    UseFilters(Rethrow),
    catchHookFaults,
    Reflect.metadata(GATEWAY_COMMANDS, true),
  );

/** Nobody would catch what a hook throws: it would end the process. */
function catchHookFaults({ name: gateway, prototype }: { name: string; prototype: Record<string, unknown> }): void {
  const logger = new Logger(gateway);
  for (const name of HOOKS) {
    const hook = prototype[name];
    if (typeof hook !== 'function') continue;
    prototype[name] = async function (this: object, ...args: unknown[]) {
      try {
        await hook.apply(this, args);
      } catch (error) {
        logger.error(error);
      }
    };
  }
}

export const hasGatewayCommands = (type: object): boolean => Reflect.hasOwnMetadata(GATEWAY_COMMANDS, type);

/** Only while no session is attached (gateway.md section 3). */
export const BeforeIdentify = (): MethodDecorator => markHandler(BEFORE_IDENTIFY);
/** Is an attempt of the address to start or resume a session (gateway.md section 10). */
export const SessionStart = (): MethodDecorator => markHandler(SESSION_START);

export const isBeforeIdentify = (handler: object): boolean => Reflect.hasMetadata(BEFORE_IDENTIFY, handler);
export const isSessionStart = (handler: object): boolean => Reflect.hasMetadata(SESSION_START, handler);

const markHandler =
  (mark: symbol): MethodDecorator =>
  (_target, _name, { value }) =>
    Reflect.defineMetadata(mark, true, value as object);
