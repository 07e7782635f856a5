/** A replica whose feature enqueues background jobs on request and records each run. */
import { setTimeout } from 'node:timers/promises';
import { Body, Controller, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import { ApiError, Bool, Database, defineFeature, Int, Jobs, Public, start } from '../../dist/src/index.js';

const WORK_MS = 150;
const LEASE_SECONDS = 5;

class CreateRuns1800000000002 {
  async up(runner) {
    await runner.query(`
      CREATE TABLE proof_run (number int NOT NULL, job uuid NOT NULL, attempt int NOT NULL, pid int NOT NULL,
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(), done_at timestamptz, PRIMARY KEY (job, attempt))`);
  }

  async down() {}
}

const decorated = (target, types, ...decorators) => {
  Reflect.defineMetadata('design:paramtypes', types, target);
  for (const decorate of decorators) decorate(target);
};

class Work {
  constructor(database) {
    this.manager = database.manager;
  }

  async run({ number }, { id, number: attempt }) {
    const run = [id, attempt];
    await this.manager.query('INSERT INTO proof_run (job, attempt, number, pid) VALUES ($1, $2, $3, $4)', [
      ...run,
      number,
      process.pid,
    ]);
    await setTimeout(WORK_MS);
    await this.manager.query('UPDATE proof_run SET done_at = clock_timestamp() WHERE job = $1 AND attempt = $2', run);
  }
}
decorated(Work, [Database], Injectable());

class SendInput {}
Int({ min: 0, max: 1_000_000 })(SendInput.prototype, 'number');
Bool()(SendInput.prototype, 'is_rolled_back');

class ProofController {
  constructor(database, jobs) {
    this.database = database;
    this.jobs = jobs;
  }

  send({ number, is_rolled_back }) {
    return this.database.transaction(async (tx) => {
      await this.jobs.enqueue(tx, 'proof:work', { number }, { key: String(number) });
      if (is_rolled_back) throw new ApiError('PROOF_ROLLED_BACK');
    });
  }
}
const { prototype } = ProofController;
Reflect.defineMetadata('design:paramtypes', [SendInput], prototype, 'send');
Body()(prototype, 'send', 0);
for (const decorate of [Public(), HttpCode(204), Post()]) {
  decorate(prototype, 'send', Object.getOwnPropertyDescriptor(prototype, 'send'));
}
decorated(ProofController, [Database, Jobs], Controller('v1/proof'));

class ProofModule {}
Module({ controllers: [ProofController], providers: [Work] })(ProofModule);

await start({
  features: [
    defineFeature('proof', {
      modules: [ProofModule],
      migrations: [CreateRuns1800000000002],
      erasure: { proof_run: { kept: 'contains no data of accounts' } },
      errors: { PROOF_ROLLED_BACK: [409, 'The transaction was rolled back.'] },
      jobs: {
        'proof:work': { handler: Work, retryLimit: 100, retryDelaySeconds: 1, leaseSeconds: LEASE_SECONDS },
      },
    }),
  ],
});
