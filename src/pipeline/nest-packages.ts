import type { ModulesContainer } from '@nestjs/core';

/** A provider of each package that works differently here. */
const GRAPHQL = 'GraphQLFactory';
const SCHEDULE = 'SchedulerOrchestrator';

const hasProvider = (modules: ModulesContainer, name: string): boolean =>
  [...modules.values()].some(({ providers }) => [...providers.values()].some((provider) => provider.name === name));

/** Finds packages of Nest whose handlers no guard can check. */
export const findPackageFaults = (modules: ModulesContainer): string[] =>
  hasProvider(modules, GRAPHQL)
    ? ['GraphQLModule sends all resolvers through one route, so they have no policies. Write controllers instead']
    : [];

/** Finds packages of Nest whose effects in a service with several processes are easy to miss. */
export const findPackageNotes = (modules: ModulesContainer): string[] =>
  hasProvider(modules, SCHEDULE)
    ? ['ScheduleModule runs its tasks in every process. To run a task once for all, declare a job with cron']
    : [];
