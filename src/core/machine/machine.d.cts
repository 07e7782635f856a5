export function cores(root?: string, all?: number): number;
export function memory(root?: string, all?: number): number;
export function fitting(bytes: number, share: number, memory?: number): number;
export function hashesOf(bytes: number, cores?: number, memory?: number): number;
export function processes(cores?: number, memory?: number): number;
