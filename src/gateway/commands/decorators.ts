import { type ArgumentsHost, applyDecorators, Catch, type ExceptionFilter, Logger, UseFilters } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';

export const GATEWAY_PATH = '/gateway';

const GATEWAY_COMMANDS = Symbol('gatehouse:gateway-commands');
const BEFORE_IDENTIFY = Symbol('gatehouse:before-identify');
const SESSION_START = Symbol('gatehouse:session-start');
const HOOKS = ['handleConnection', 'handleDisconnect'];

/**
 * Rethrows errors, because only the connection knows how to close. Nest's own filter would echo the payload to the
 * client.
 */
@Catch()
class Rethrow implements ExceptionFilter {
  catch(thrown: unknown, _host: ArgumentsHost): never {
    throw thrown;
  }
}

/**
 * Declares a class of gateway command handlers. Replaces `@WebSocketGateway`.
 * Each handler needs `@SubscribeMessage` with an opcode from 64 to 255 or with a name, and a policy. Its parameters can
 * be the payload (`@MessageBody`), the caller (`@CurrentIdentity`) and the connection (`@ConnectedSocket`).
 */
export const GatewayCommands = (): ClassDecorator =>
  applyDecorators(
    WebSocketGateway({ path: GATEWAY_PATH }),
    UseFilters(Rethrow),
    logHookErrors,
    Reflect.metadata(GATEWAY_COMMANDS, true),
  );

/** Logs errors of connection hooks. An uncaught error in a hook would end the process. */
function logHookErrors({ name: gateway, prototype }: { name: string; prototype: Record<string, unknown> }): void {
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

/** Allows the command only while no session is attached (gateway.md section 3). */
export const BeforeIdentify = (): MethodDecorator => markHandler(BEFORE_IDENTIFY);
/** Counts the command as an attempt to start or resume a session (gateway.md section 10). */
export const SessionStart = (): MethodDecorator => markHandler(SESSION_START);

export const isBeforeIdentify = (handler: object): boolean => Reflect.hasMetadata(BEFORE_IDENTIFY, handler);
export const isSessionStart = (handler: object): boolean => Reflect.hasMetadata(SESSION_START, handler);

const markHandler =
  (mark: symbol): MethodDecorator =>
  (_target, _name, { value }) =>
    Reflect.defineMetadata(mark, true, value as object);
