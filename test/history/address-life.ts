import { PROXY } from './cluster.js';
import { Life, type Step } from './life.js';
import { now } from './recorder.js';

/**
 * How long an IP address may have access after its ban if nothing is disturbed. The contract promises one second, and
 * the rest is tolerance for a busy machine.
 */
const BANNED_WITHIN_MS = 5000;

/** A client without a credential whose IP address is banned. */
export class AddressLife extends Life {
  private readonly address = this.surroundings.cluster.newAddress();
  private readonly label = this.recorder.name(`address ${this.address}`);

  protected async begin(): Promise<boolean> {
    const before = now();
    const issued = { start: before, end: before };
    const credential = this.recorder.issue('visitor', issued, [this.label], { endsWithin: BANNED_WITHIN_MS });
    const headers = { 'x-forwarded-for': this.address };
    this.add({
      credential,
      present: (replica) => replica.anonymous.from(PROXY).with(headers).get('/.well-known/service'),
    });
    return true;
  }

  protected readonly partialEnds: readonly Step[] = [];

  protected readonly wholeEnds: readonly Step[] = [
    async () => {
      const { root } = this.surroundings.cluster;
      await this.revoked('ban of an address', [this.label], (replica) =>
        replica.as(root).post('/v1/admin/blocklists/ip/entries', { ip: this.address }),
      );
      return true;
    },
  ];
}
