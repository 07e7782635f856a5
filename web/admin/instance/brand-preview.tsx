import { brand } from '../../core/brand.js';
import { t } from '../../core/language.js';
import { Mark } from '../../kit/frame.js';

const SCHEMES = { light: 'common.theme_light', dark: 'common.theme_dark' } as const;

/** The logo and the accent color in both color schemes. The environment sets them, so they are only shown. */
export const BrandPreview = ({ product }: { readonly product: string }) => (
  <figure class="brand-preview">
    <figcaption class="small quiet">{t('adminInstance.previewHint')}</figcaption>
    {(Object.keys(SCHEMES) as (keyof typeof SCHEMES)[]).map((scheme) => {
      const { accent, on, text } = brand.accent[scheme];
      return (
        <div class={`sample ${scheme}`} key={scheme}>
          <span class="small">{t(SCHEMES[scheme])}</span>
          <span class="row">
            <Mark />
            <strong>
              <bdi>{product}</bdi>
            </strong>
          </span>
          <span class="filled" style={{ background: accent, color: on }}>
            {t('common.continue')}
          </span>
          <span class="linked" style={{ color: text }}>
            {accent}
          </span>
        </div>
      );
    })}
  </figure>
);
