import { validationError } from '../core/errors.js';
import { isHttpUrl, type Members, type MessageInput, readMessage, URL_LENGTH } from './message-input.js';

const TITLE = 70;
const LONG_TITLE = 256;
const DESCRIPTION = 350;

interface Rendered {
  readonly title: string;
  readonly description?: string | undefined;
  readonly url?: string | undefined;
}

/** Reads members of an event body by path. */
class Payload {
  constructor(private readonly body: Members) {}

  private at(path: string): unknown {
    let value: unknown = this.body;
    for (const name of path.split('.')) {
      value = typeof value === 'object' && value !== null ? (value as Members)[name] : undefined;
    }
    return value;
  }

  /** @throws ApiError FV(path: INVALID_FORMAT) */
  text(path: string): string {
    const value = this.at(path);
    if (typeof value !== 'string') throw validationError(path, 'INVALID_FORMAT');
    return value;
  }

  /** @throws ApiError FV(path: INVALID_FORMAT) */
  number(path: string): number {
    const value = this.at(path);
    if (!Number.isSafeInteger(value)) throw validationError(path, 'INVALID_FORMAT');
    return value as number;
  }

  /** @throws ApiError FV(path: INVALID_FORMAT) */
  list(path: string): Payload[] {
    const value = this.at(path);
    if (!Array.isArray(value)) throw validationError(path, 'INVALID_FORMAT');
    return value.map((element) => new Payload(element as Members));
  }

  /** Text that may be missing or null. */
  optionalText(path: string): string | undefined {
    const value = this.at(path);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  has(path: string): boolean {
    const value = this.at(path);
    return value !== undefined && value !== null && value !== false;
  }

  get repository(): string {
    return this.text('repository.full_name');
  }
}

interface Event {
  /** Undefined for events without actions. */
  readonly actions?: readonly string[];
  readonly title?: number;
  readonly render: (payload: Payload) => Rendered | null;
}

const numbered = (payload: Payload, at: string): string =>
  `#${payload.number(`${at}.number`)} ${payload.text(`${at}.title`)}`;

/** A title with the repository, and the text and URL of one member of the body. */
const about = (payload: Payload, title: string, at: string): Rendered => ({
  title: `[${payload.repository}] ${title}`,
  description: payload.optionalText(`${at}.body`),
  url: payload.optionalText(`${at}.html_url`),
});

const ofRepository = (payload: Payload, title: string): Rendered => ({
  title: `[${payload.repository}] ${title}`,
  url: payload.optionalText('repository.html_url'),
});

function refChange(payload: Payload, change: 'created' | 'deleted'): Rendered | null {
  const kind = payload.text('ref_type');
  return kind === 'branch' || kind === 'tag'
    ? ofRepository(payload, `${kind} ${change}: ${payload.text('ref')}`)
    : null;
}

/** Returns null for a push that only creates or deletes a branch, because separate events report that. */
function push(payload: Payload): Rendered | null {
  const commits = payload.list('commits');
  const branch = payload.text('ref').replace(/^refs\/(?:heads|tags)\//, '');
  if (commits.length === 0 && !payload.has('forced')) return null;
  const lines = commits.map((commit) => {
    const [subject = ''] = commit.text('message').split('\n', 1);
    return `${commit.text('id').slice(0, 7)} ${subject} - ${commit.text('author.name')}`;
  });
  const count = `${commits.length} new commit${commits.length === 1 ? '' : 's'}`;
  return {
    title: `[${payload.repository}:${branch}] ${commits.length === 0 ? 'force-pushed' : count}`,
    description: lines.join('\n'),
    url: payload.optionalText('compare'),
  };
}

const EVENTS: Readonly<Record<string, Event>> = {
  commit_comment: {
    actions: ['created'],
    render: (p) => about(p, `comment on commit ${p.text('comment.commit_id').slice(0, 7)}`, 'comment'),
  },
  create: { render: (p) => refChange(p, 'created') },
  delete: { render: (p) => refChange(p, 'deleted') },
  fork: {
    render: (p) => ({ ...about(p, `fork created: ${p.text('forkee.full_name')}`, 'forkee'), description: undefined }),
  },
  issue_comment: {
    actions: ['created'],
    render: (p) =>
      about(
        p,
        `comment on ${p.has('issue.pull_request') ? 'pull request' : 'issue'} ${numbered(p, 'issue')}`,
        'comment',
      ),
  },
  issues: {
    actions: ['opened', 'closed', 'reopened'],
    render: (p) => about(p, `issue ${p.text('action')}: ${numbered(p, 'issue')}`, 'issue'),
  },
  member: { actions: ['added'], render: (p) => ofRepository(p, `collaborator added: ${p.text('member.login')}`) },
  public: { render: (p) => ofRepository(p, 'now public') },
  pull_request: {
    actions: ['opened', 'closed', 'reopened'],
    render: (p) => {
      const change = p.has('pull_request.merged') ? 'merged' : p.text('action');
      return about(p, `pull request ${change}: ${numbered(p, 'pull_request')}`, 'pull_request');
    },
  },
  pull_request_review: {
    actions: ['submitted'],
    render: (p) => {
      const state = p.text('review.state').replaceAll('_', ' ').toLowerCase();
      return about(p, `review (${state}) of pull request ${numbered(p, 'pull_request')}`, 'review');
    },
  },
  pull_request_review_comment: {
    actions: ['created'],
    render: (p) => about(p, `review comment on pull request ${numbered(p, 'pull_request')}`, 'comment'),
  },
  push: { title: LONG_TITLE, render: push },
  release: {
    actions: ['published'],
    render: (p) =>
      about(p, `release published: ${p.optionalText('release.name') ?? p.text('release.tag_name')}`, 'release'),
  },
  watch: { actions: ['started'], render: (p) => ofRepository(p, `star added by ${p.text('sender.login')}`) },
  check_run: {
    actions: ['completed'],
    title: LONG_TITLE,
    render: (p) => ({
      ...about(p, `check ${p.text('check_run.name')}: ${p.text('check_run.conclusion')}`, 'check_run'),
      description: p.optionalText('check_run.output.summary') ?? p.optionalText('check_run.output.title'),
    }),
  },
  check_suite: {
    actions: ['completed'],
    title: LONG_TITLE,
    render: (p) => {
      const branch = p.optionalText('check_suite.head_branch');
      return ofRepository(p, `check suite${branch ? ` of ${branch}` : ''}: ${p.text('check_suite.conclusion')}`);
    },
  },
  discussion: {
    actions: ['created'],
    render: (p) => about(p, `discussion created: ${numbered(p, 'discussion')}`, 'discussion'),
  },
  discussion_comment: {
    actions: ['created'],
    render: (p) => about(p, `comment on discussion ${numbered(p, 'discussion')}`, 'comment'),
  },
  repository: { actions: ['created'], render: (p) => ofRepository(p, 'repository created') },
};

/** Cleans text for a message and shortens it to `max` code points. */
function truncate(text: string, max: number): string {
  const points = [...text.replaceAll('\u0000', '').toWellFormed().trim()];
  return points.length <= max ? points.join('') : `${points.slice(0, max - 1).join('')}…`;
}

/**
 * Creates a message from a GitHub event (webhooks.md section 6). Returns `null` if the event or its action has no
 * message.
 * @throws ApiError FV(member: INVALID_FORMAT)
 */
export function readGitHub(name: string, body: Members): MessageInput | null {
  const event = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined;
  if (!event) return null;
  const payload = new Payload(body);
  if (event.actions && !event.actions.includes(payload.text('action'))) return null;
  const sender = payload.text('sender.login');
  const { repository } = payload;
  const rendered = event.render(payload);
  if (!rendered) return null;
  const { url } = rendered;
  const description = truncate(rendered.description ?? '', DESCRIPTION);
  return readMessage({
    embeds: [
      {
        title: truncate(rendered.title, event.title ?? TITLE) || repository,
        author: { name: 'GitHub' },
        footer: { text: truncate(sender, TITLE) },
        ...(description === '' ? {} : { description }),
        ...(url !== undefined && url.length <= URL_LENGTH && isHttpUrl(url) ? { url } : {}),
      },
    ],
  });
}
