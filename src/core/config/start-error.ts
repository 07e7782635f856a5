/** The service cannot start or a command cannot run, and an operator can fix the reason. The message is complete. */
export class StartError extends Error {}

/** Thrown during startup with every invalid setting. Contains the names of settings, never their values. */
export class ConfigurationError extends StartError {
  constructor(readonly faults: string[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}
