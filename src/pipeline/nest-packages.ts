import { MetadataScanner, type ModulesContainer } from '@nestjs/core';

/** A provider of each package that works differently here. */
const GRAPHQL = 'GraphQLFactory';
const SCHEDULE = 'SchedulerOrchestrator';

/** The metadata that decorators of `@nestjs/schedule` set on their handlers. */
const SCHEDULER_TYPE = 'SCHEDULER_TYPE';

const hasProvider = (modules: ModulesContainer, name: string): boolean =>
  [...modules.values()].some(({ providers }) => [...providers.values()].some((provider) => provider.name === name));

/** The handlers with `@Cron`, `@Interval` or `@Timeout`. */
function findScheduledHandlers(modules: ModulesContainer): string[] {
  const scanner = new MetadataScanner();
  const found = [...modules.values()].flatMap(({ providers, controllers }) =>
    [...providers.values(), ...controllers.values()].flatMap((wrapper) => {
      const prototype: Record<string, object> | null = wrapper.instance && Object.getPrototypeOf(wrapper.instance);
      if (!prototype || !wrapper.isDependencyTreeStatic()) return [];
      return scanner
        .getAllMethodNames(prototype)
        .filter((name) => Reflect.hasMetadata(SCHEDULER_TYPE, prototype[name] as object))
        .map((name) => `${prototype.constructor?.name}.${name}`);
    }),
  );
  return [...new Set(found)];
}

/** Finds packages of Nest whose handlers no guard can check, or nothing calls. */
export function findPackageFaults(modules: ModulesContainer): string[] {
  const faults: string[] = [];
  if (hasProvider(modules, GRAPHQL))
    faults.push(
      'GraphQLModule sends all resolvers through one route, so they have no policies. Write controllers instead',
    );
  const handlers = hasProvider(modules, SCHEDULE) ? [] : findScheduledHandlers(modules);
  if (handlers.length > 0)
    faults.push(
      `Nothing runs ${handlers.join(', ')}, because no module imports ScheduleModule.forRoot(). Import it, or declare a job with cron instead`,
    );
  return faults;
}

/** Finds packages of Nest whose effects in a service with several processes are easy to miss. */
export function findPackageNotes(modules: ModulesContainer): string[] {
  const handlers = hasProvider(modules, SCHEDULE) ? findScheduledHandlers(modules) : [];
  if (handlers.length === 0) return [];
  return [
    `@nestjs/schedule runs ${handlers.join(', ')} in every process. To run work once for all, declare it in jobs of a feature with cron`,
  ];
}
