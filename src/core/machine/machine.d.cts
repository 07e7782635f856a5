export function cores(root?: string, all?: number): number;
export function memory(root?: string, all?: number): number;
export function fitting(bytes: number, share: number, memory?: number): number;
export function hashesOf(bytes: number, workers?: number, cores?: number, memory?: number): number;
export function processes(cores?: number, memory?: number): number;
export function imageBytes(workers?: number, memory?: number): number;
export const PROCESS_BYTES: number;
export const MIN_IMAGE_BYTES: number;
export const SMALLEST_BYTES: number;
