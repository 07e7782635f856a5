import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { t } from '../../core/language.js';
import './differences.css';

/** One unsaved change. A secret has only words about its change. */
export type Difference = { readonly name: string; readonly label: string } & (
  | { readonly before: string; readonly after: string }
  | { readonly words: string }
);

const changeOf = (difference: Difference): ComponentChildren =>
  'words' in difference ? (
    <dd>{difference.words}</dd>
  ) : (
    <>
      <dd>
        <span class="quiet">{t('adminInstance.before')}</span> <bdi>{difference.before}</bdi>
      </dd>
      <dd>
        <span class="quiet">{t('adminInstance.after')}</span>{' '}
        <strong>
          <bdi>{difference.after}</bdi>
        </strong>
      </dd>
    </>
  );

/** The changes with old and new values. */
export const Differences = ({ of: all }: { readonly of: readonly Difference[] }) => (
  <dl class="difference">
    {all.map((difference) => (
      <Fragment key={difference.name}>
        <dt>{difference.label}</dt>
        {changeOf(difference)}
      </Fragment>
    ))}
  </dl>
);

/** The words about a new secret, or about the removal of the stored one. */
export const wordsOfSecret = (secret: unknown): string =>
  t(secret === null ? 'adminInstance.secretRemoved' : 'adminInstance.secretChanged');
