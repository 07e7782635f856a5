/** How long a browser may take to fetch what it was handed. */
const FETCHED_MS = 60_000;

/** Hands the browser a file to keep. */
export function download(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FETCHED_MS);
}
