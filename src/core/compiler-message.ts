/** A message of the compiler. No name of a member and no index of a parameter has this type. */
export type CompilerMessage<M extends string> = { readonly [N in M]: never };
