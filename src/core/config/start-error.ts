/** The service cannot start or a command cannot run, for a reason that an operator can mend: the message is all of it. */
export class StartError extends Error {}

/** Thrown at boot with every fault of the environment; names settings, never their values. */
export class ConfigurationError extends StartError {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}
