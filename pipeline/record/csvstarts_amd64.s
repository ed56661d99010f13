#include "textflag.h"

// func fieldStartsAVX2(line []byte, comma byte, starts *[256]uint32) (columns int)
//
// Y0, Y1, Y2: the comma, the quote and the line feed, 32 times each. SI: the next byte; CX: how many are left; R12: its
// index in line, plus 1. DI: the next of starts; R13: the highest at which a block may start to write. AX: the commas of a block,
// a bit each; DX: its quotes and line feeds.
TEXT ·fieldStartsAVX2(SB), NOSPLIT, $0-48
	MOVQ         line_base+0(FP), SI
	MOVQ         line_len+8(FP), CX
	MOVQ         starts+32(FP), DI
	VPBROADCASTB comma+24(FP), Y0
	MOVL         $0x22, AX
	VMOVD        AX, X1
	VPBROADCASTB X1, Y1
	MOVL         $0x0a, AX
	VMOVD        AX, X2
	VPBROADCASTB X2, Y2
	LEAQ         768(DI), R13
	ADDQ         $4, DI
	MOVL         $1, R12
	TESTQ        CX, CX
	JZ           done

block:
	MOVQ SI, R8
	XORL BX, BX
	CMPQ CX, $64
	JGE  read

	// Fewer than 64 bytes are left. If all 64 from here on lie in one page of memory, which is 4,096 bytes at least, then
	// what is behind the line may be read, and is ignored. Otherwise the 64 bytes that end where the line ends do, because
	// SI is among the last 64 of its page; BX is how many of them stand before SI.
	MOVL SI, R9
	ANDL $4095, R9
	CMPL R9, $4032
	JLE  read
	LEAQ -64(SI)(CX*1), R8
	MOVL $64, BX
	SUBL CX, BX

read:
	VMOVDQU   (R8), Y3
	VMOVDQU   32(R8), Y4
	VPCMPEQB  Y0, Y3, Y5
	VPCMPEQB  Y0, Y4, Y6
	VPMOVMSKB Y5, AX
	VPMOVMSKB Y6, R9
	SHLQ      $32, R9
	ORQ       R9, AX
	VPCMPEQB  Y1, Y3, Y5
	VPCMPEQB  Y1, Y4, Y6
	VPCMPEQB  Y2, Y3, Y3
	VPCMPEQB  Y2, Y4, Y4
	VPOR      Y3, Y5, Y5
	VPOR      Y4, Y6, Y6
	VPMOVMSKB Y5, DX
	VPMOVMSKB Y6, R9
	SHLQ      $32, R9
	ORQ       R9, DX
	CMPQ      CX, $64
	JGE       whole
	SHRXQ     BX, AX, AX
	SHRXQ     BX, DX, DX
	BZHIQ     CX, AX, AX
	BZHIQ     CX, DX, DX

whole:
	TESTQ   DX, DX
	JNZ     refuse
	POPCNTQ AX, R11
	MOVQ    DI, R10

	// Four commas at a time, whether they are there or not: asking for each costs more. What is written too much is
	// written over.
four:
	TZCNTQ AX, R9
	BLSRQ  AX, AX
	ADDL   R12, R9
	MOVL   R9, (R10)
	TZCNTQ AX, R9
	BLSRQ  AX, AX
	ADDL   R12, R9
	MOVL   R9, 4(R10)
	TZCNTQ AX, R9
	BLSRQ  AX, AX
	ADDL   R12, R9
	MOVL   R9, 8(R10)
	TZCNTQ AX, R9
	BLSRQ  AX, AX
	ADDL   R12, R9
	MOVL   R9, 12(R10)
	ADDQ   $16, R10
	TESTQ  AX, AX
	JNZ    four
	LEAQ   (DI)(R11*4), DI
	CMPQ   DI, R13
	JGT    refuse
	ADDQ   $64, R12
	ADDQ   $64, SI
	SUBQ   $64, CX
	JGT    block

done:
	MOVQ line_len+8(FP), AX
	INCL AX
	MOVL AX, (DI)
	SUBQ starts+32(FP), DI
	SHRQ $2, DI
	MOVQ DI, columns+40(FP)
	VZEROUPPER
	RET

refuse:
	MOVQ $-1, columns+40(FP)
	VZEROUPPER
	RET
