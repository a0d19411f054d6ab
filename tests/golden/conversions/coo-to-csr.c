// member 0, share: Offsets run, ptr1, direct
// member 0, share: Share run, idx1 val
